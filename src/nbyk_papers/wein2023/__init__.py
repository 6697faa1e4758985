"""The study of Wein et al. 2023: cells, tables, figures, the summary and the page."""
