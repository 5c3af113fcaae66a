"""Quantile and distribution function of the standard normal, so that one hash gives one normal draw."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Wichura (1988), Algorithm AS 241 (PPND16), Applied Statistics 37: coefficients, highest power first.
_A = (
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
    4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
    1.3314166789178437745e2, 3.3871328727963666080,
)  # fmt: skip
_B = (
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
    2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
    4.2313330701600911252e1, 1.0,
)  # fmt: skip
_C = (
    7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550,
    4.63033784615654529590, 1.42343711074968357734,
)  # fmt: skip
_D = (
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
    1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
    2.05319162663775882187, 1.0,
)  # fmt: skip
_E = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
    2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
    5.46378491116411436990, 6.65790464350110377720,
)  # fmt: skip
_F = (
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
    7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
    5.99832206555887937690e-1, 1.0,
)  # fmt: skip


def normal_quantile(u: ArrayLike) -> NDArray[np.float64]:
    """Standard normal quantile, relative error about 1e-16.

    Parameters
    ----------
    u : array_like
        Probability in (0, 1) [-]; outside gives nan.

    References
    ----------
    Wichura, Algorithm AS 241, Applied Statistics 37 (1988).

    Examples
    --------
    >>> round(float(normal_quantile(0.9)), 6)
    1.281552
    """
    p = np.asarray(u, dtype=np.float64)
    q = p - 0.5
    r = 0.180625 - q * q
    central = q * np.polyval(_A, r) / np.polyval(_B, r)
    tail = np.minimum(p, 1.0 - p)
    inside = (tail > 0.0) & (tail <= 0.5)
    root = np.sqrt(-np.log(np.where(inside, tail, 0.5)))
    near = np.polyval(_C, root - 1.6) / np.polyval(_D, root - 1.6)
    far = np.polyval(_E, root - 5.0) / np.polyval(_F, root - 5.0)
    outer = np.copysign(np.where(root <= 5.0, near, far), q)
    result: NDArray[np.float64] = np.where(inside, np.where(np.abs(q) <= 0.425, central, outer), np.nan)
    return result


def normal_cdf(z: float) -> float:
    """Standard normal distribution function [-]."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))
