"""How far apart two colours are, to usual eyes and to those that see less red or green."""
import matplotlib.colors
import numpy as np

# What the red-blind and the green-blind see of linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
EYES = {"usual": np.eye(3),
        "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
        "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
WHITE = TO_XYZ.sum(axis=1)


def lab(colour, eye="usual"):
    """CIE L*a*b* (D65) of a colour as such eyes see it."""
    rgb = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116
               for v in TO_XYZ @ np.clip(EYES[eye] @ linear, 0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one, other, eye="usual"):
    """The distance CIE76: about 2 can just be noticed."""
    return np.linalg.norm(lab(one, eye) - lab(other, eye))
