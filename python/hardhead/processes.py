"""A function that learns in a process of its own, which can be ended whatever it does."""
import multiprocessing
import pickle
import traceback
import weakref

from . import _core
from .batches import SamplesMethods


class _RemoteTraceback(Exception):
    """Where an exception came from in the other process."""

    def __str__(self):
        return self.args[0]


class _Asking:
    """What a proxy asks of the process that has the samples or the oracle."""

    def __init__(self, connection):
        self._connection = connection

    def __call__(self, what, *arguments):
        self._connection.send((what, *arguments))
        kind, value = self._connection.recv()
        if kind == "raised":
            raise value
        return value


class _SamplesThere(SamplesMethods):
    """Samples of another process."""

    def __init__(self, ask, facts):
        self._ask = ask
        self.d, self.k, self.inputs, self.size = facts

    def read(self, first, count):
        return self._ask("read", first, count)

    def _uncounted(self):
        def read_into(first, x, y):
            x[...], y[...] = self._ask("peek", first, x.shape, x.dtype.str)

        return read_into, (lambda first, count: self._ask("count", first, count))


class _OracleThere:
    """An oracle of another process."""

    def __init__(self, ask, facts):
        self._ask = ask
        self.d, self.tokens, self.boolean, self.tau, self.budget = facts
        self.queries = 0

    def __call__(self, x):
        values = self._ask("ask", x)
        self.queries += len(values)
        return values


def _work(connection, function, kind, facts, task, settings):
    """The other process."""
    try:
        source = (_SamplesThere if kind == "samples" else _OracleThere)(_Asking(connection), facts)
        answer = function(source, task, **settings)
        if isinstance(answer, _core.Layer) or not callable(answer):
            connection.send(("answer", answer))
            return
        from .teachers import function_of
        answer = function_of(answer)
        connection.send(("predictor",))
        while True:
            connection.send(("said", answer(connection.recv())))
    except EOFError:
        pass
    except Exception as error:
        text = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(traceback.format_exception_only(type(error), error)[-1].strip())
        connection.send(("failed", error, text))


def _end(process, connection):
    connection.close()
    process.kill()
    process.join()


class _Child:
    """The other process, as this one has it."""

    def __init__(self, name, function, source, task, settings):
        self.name = name
        samples = isinstance(source, _core.Samples)
        facts = ((source.d, source.k, source.inputs, source.size) if samples else
                 (source.d, source.tokens, source.boolean, source.tau, source.budget))
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, function, "samples" if samples else "oracle", facts, task, settings))
        try:
            self.process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"'{name}' cannot be sent to a process of its own: {error}") from None
        theirs.close()
        weakref.finalize(self, _end, self.process, self.connection)
        if samples:
            read_into, count = source._uncounted()

            def peek(first, shape, dtype):
                import numpy
                x, y = numpy.empty(shape, dtype), numpy.empty(shape, dtype)
                read_into(first, x, y)
                return x, y

            self.served = {"read": source.read, "peek": peek, "count": count}
        else:
            self.served = {"ask": source}

    def hear(self):
        """The next that is said; what is asked on the way is answered."""
        while True:
            while not self.connection.poll(0.05):
                pass  # here a time limit ends the wait
            try:
                what, *rest = self.connection.recv()
            except EOFError:
                self.process.join()
                raise RuntimeError(f"the process of '{self.name}' ended with exit code {self.process.exitcode}") from None
            if what == "failed":
                raise rest[0] from _RemoteTraceback(f"\n{rest[1]}")
            if what not in self.served:
                return what, *rest
            try:
                reply = "given", self.served[what](*rest)
            except Exception as error:
                reply = "raised", error
            self.connection.send(reply)

    def end(self):
        _end(self.process, self.connection)


def isolated(name, function, source, task, **settings):
    """function(source, task, **settings) in a process of its own, which ends with the last that holds its answer."""
    child = _Child(name, function, source, task, settings)
    try:
        what, *rest = child.hear()
        if what == "answer":
            return rest[0]
    except BaseException:
        child.end()
        raise

    def predict(x):
        try:
            child.connection.send(x)
            return child.hear()[1]
        finally:
            child.end()

    return predict
