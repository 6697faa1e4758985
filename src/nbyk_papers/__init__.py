"""The papers that nbyk reproduces, and the calibration of its tests: a folder each; nbyk imports none."""
