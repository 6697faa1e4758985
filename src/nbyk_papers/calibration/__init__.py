"""The study of how often each test rejects: cells, rates, tables, figures, summary and page."""
