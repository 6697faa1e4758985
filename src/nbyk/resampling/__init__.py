"""Random streams, simulation and resampling: draws of effects under the alternative and under nulls."""
