"""What people read of Ulmer et al. 2022: tables, figures, the summary and the page."""
