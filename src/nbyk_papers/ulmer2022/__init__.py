"""The study of Ulmer et al. 2022: cells, tables, figures, the summary and the page."""
