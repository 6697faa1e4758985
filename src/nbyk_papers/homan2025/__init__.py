"""What people read of Homan et al. 2025: tables, figures, the summary and the page."""
