"""How values of the library are pickled that their bindings do not pickle: by what makes them again."""
import copyreg
import pickle

from . import _core
from ._core import Family, Head, Instance, Layer, Method, Parameter, Samples, Spec, Suite


def _samples(samples):
    if samples.size is None:
        raise pickle.PicklingError("examples without end cannot be pickled: send the instance, and take its samples() there")
    return Samples, (*samples.read(0, samples.size), samples.inputs)


def _named(module, table, name):
    """The entry of that name of a list that every process has."""
    return next(entry for entry in getattr(getattr(_core, module) if module else _core, table)() if entry.name == name)


def _parameter(kind, owner, name):
    """A parameter of a family, a method, or of certify()."""
    parameters = _core.niceness_constants() if kind is None else _named(*kind, owner).parameters
    return next(parameter for parameter in parameters if parameter.name == name)


def _owner(parameter):
    """Where a parameter is listed: tables are short, and it is what its table says."""
    for kind in (("", "families"), ("", "methods"), ("sq", "classes")):
        for owner in getattr(getattr(_core, kind[0]) if kind[0] else _core, kind[1])():
            if any(repr(one) == repr(parameter) for one in owner.parameters):
                return _parameter, (kind, owner.name, parameter.name)
    return _parameter, (None, None, parameter.name)


def _head(theta, w):
    return Layer(theta[None], w[None]).heads[0]


copyreg.pickle(Spec, lambda spec: (Spec, (str(spec),)))
copyreg.pickle(Layer, lambda layer: (Layer, (layer.theta, layer.w, layer.network)))
copyreg.pickle(Head, lambda head: (_head, (head.theta, head.w)))
copyreg.pickle(Instance, lambda instance: (Instance, (str(instance.spec),)) if instance.spec.name else
               (Instance.of, (instance.layer, instance.k, instance.inputs)))
copyreg.pickle(Samples, _samples)
copyreg.pickle(Parameter, _owner)
for _type, _place in ((Family, ("", "families")), (Method, ("", "methods")), (Suite, ("", "suites")),
                      (_core.lwe.Attack, ("lwe", "attacks")), (_core.sq.ConceptClass, ("sq", "classes"))):
    copyreg.pickle(_type, lambda entry, _place=_place: (_named, (*_place, entry.name)))
