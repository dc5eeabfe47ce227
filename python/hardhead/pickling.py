"""How values of the library are pickled: by what they are made of. Runs and findings say it themselves (run.cc)."""
import copyreg
import pickle

from ._core import Instance, Layer, Samples, Spec


def _samples(samples):
    if samples.size is None:
        raise pickle.PicklingError("examples without end cannot be pickled: send the instance, and take its samples() there")
    return Samples, (*samples.read(0, samples.size), samples.inputs)


copyreg.pickle(Spec, lambda spec: (Spec, (str(spec),)))
copyreg.pickle(Layer, lambda layer: (Layer, (layer.theta, layer.w)))
copyreg.pickle(Instance, lambda instance: (Instance, (str(instance.spec),)))
copyreg.pickle(Samples, _samples)
