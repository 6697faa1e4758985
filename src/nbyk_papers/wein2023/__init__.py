"""What people read of Wein et al. 2023: tables, figures, the summary and the page."""
