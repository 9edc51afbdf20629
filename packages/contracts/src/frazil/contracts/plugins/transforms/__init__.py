"""Transforms and predicates by Connect's names: what a connector may say of them."""
