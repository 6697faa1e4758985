"""Reports of how often each test rejects: reading rates, tables, figures, summary and page."""
