"""Reports of Fornaciari et al. 2022: reading, comparison, tables, figures, summary and page."""
