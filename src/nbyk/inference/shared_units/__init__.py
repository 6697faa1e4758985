"""Tests that generalise over units that items share: raters, runs and clusters."""
