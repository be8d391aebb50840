"""Averaged spectra, cross spectra and coherence by SciPy, for tests/measure/spectra.rs.

    pip install scipy
    python3 tests/measure/spectra.py > tests/measure/spectra.json
"""

import json

import numpy as np
from scipy import signal

DELTA = 0.002
WINDOWS = {"Rectangular": "boxcar", "Hann": "hann", "Hamming": "hamming", "Blackman": "blackman", "Flat top": "flattop"}


def main():
    random = np.random.default_rng(49)
    x = np.round(random.normal(size=150) + 0.7, 6)
    b, a = signal.butter(2, 0.3)
    y = np.round(signal.lfilter(b, a, x) + 0.2 * random.normal(size=150) - 1.0, 6)
    cases = []
    for window, length, overlap, detrend in [
        ("Hann", 32, 16, "Mean"),
        ("Hamming", 31, 0, "None"),
        ("Blackman", 40, 30, "Mean"),
        ("Rectangular", 64, 32, "None"),
        ("Flat top", 25, 6, "None"),
        ("Hann", 150, 0, "Mean"),
    ]:
        settings = dict(
            fs=1 / DELTA,
            window=WINDOWS[window],
            nperseg=length,
            noverlap=overlap,
            detrend="constant" if detrend == "Mean" else False,
        )
        frequencies, density = signal.welch(x, scaling="density", **settings)
        power = signal.welch(x, scaling="spectrum", **settings)[1]
        cross = signal.csd(x, y, scaling="density", **settings)[1]
        coherence = signal.coherence(x, y, **settings)[1]
        cases.append(
            dict(
                window=window,
                length=length,
                overlap=overlap / length,
                detrend=detrend,
                step=frequencies[1],
                density=density.tolist(),
                rms=np.sqrt(power).tolist(),
                cross_re=cross.real.tolist(),
                cross_im=cross.imag.tolist(),
                coherence=coherence.tolist(),
                gain=(np.abs(cross) / density).tolist(),
                phase=np.degrees(np.angle(cross)).tolist(),
            )
        )
    print(json.dumps(dict(delta=DELTA, x=x.tolist(), y=y.tolist(), cases=cases)))


main()
