#include <fmt/format.h>
#include <pybind11/functional.h>

#include "attention/files/data_file.h"
#include "attention/files/layer_file.h"
#include "attention/forward/forward.h"
#include "attention/forward/single_block.h"
#include "attention/layer/canonical.h"
#include "attention/layer/multihead_attention.h"
#include "base/error.h"
#include "base/version.h"
#include "python/arrays.h"
#include "python/own_learner.h"
#include "python/samples.h"
#include "study/run/run.h"

namespace hardhead::python {
namespace {

using attention::Head;
using attention::Layer;
using attention::Matrix;
using attention::SampleSource;
using Array = py::array_t<double>;

constexpr py::ssize_t number = sizeof(double);

/// A matrix where it lies, not to be written to; `owner` keeps it alive.
Array view(const Matrix& matrix, const py::handle& owner) {
  Array out({matrix.rows(), matrix.cols()}, {number, number * matrix.rows()}, matrix.data(), owner);
  out.attr("setflags")("write"_a = false);
  return out;
}

Array stacked(const Layer& layer, Matrix Head::* matrix) {
  Array out({layer.m(), layer.d, layer.d});
  auto numbers = out.mutable_unchecked<3>();
  for (attention::Index i = 0; i < layer.m(); ++i)
    for (attention::Index a = 0; a < layer.d; ++a)
      for (attention::Index b = 0; b < layer.d; ++b)
        numbers(i, a, b) = (layer.heads[static_cast<std::size_t>(i)].*matrix)(a, b);
  return out;
}

std::string shape_of(const py::array& array) {
  return py::str(array.attr("shape"));
}

Matrix matrix_of(const char* name, const py::handle& given, py::ssize_t order) {
  const Array numbers = dense_numbers_of(name, py::reinterpret_borrow<py::object>(given));
  if (numbers.ndim() != order)
    throw InputError(fmt::format("{} has shape {}, but {} of a network has {} sizes", name, shape_of(numbers),
                                 name, order));
  return Eigen::Map<const attention::RowMatrix>(numbers.data(), numbers.shape(0),
                                                order == 2 ? numbers.shape(1) : 1);
}

std::optional<attention::Network> network_from(const py::object& given) {
  if (given.is_none()) return std::nullopt;
  if (!py::isinstance<py::tuple>(given) || py::len(given) != 5)
    throw InputError("network: a tuple (in, in_bias, out, out_bias, residual) is expected");
  const auto parts = given.cast<py::tuple>();
  return attention::Network{matrix_of("in", parts[0], 2), matrix_of("in_bias", parts[1], 1),
                            matrix_of("out", parts[2], 2), matrix_of("out_bias", parts[3], 1),
                            py::bool_(py::reinterpret_borrow<py::object>(parts[4]))};
}

py::object network_of(const Layer& layer) {
  if (!layer.network) return py::none();
  const auto copied = [](const Matrix& matrix, bool vector) {
    Array out(vector ? std::vector<py::ssize_t>{matrix.rows()}
                     : std::vector<py::ssize_t>{matrix.rows(), matrix.cols()});
    Eigen::Map<attention::RowMatrix>(out.mutable_data(), matrix.rows(), matrix.cols()) = matrix;
    return out;
  };
  const attention::Network& network = *layer.network;
  return py::make_tuple(copied(network.in, false), copied(network.in_bias, true), copied(network.out, false),
                        copied(network.out_bias, true), network.residual);
}

Layer layer_of(const py::object& theta_given, const py::object& w_given, const py::object& network) {
  const Array theta = dense_numbers_of("theta", theta_given), w = dense_numbers_of("w", w_given);
  if (theta.ndim() != 3 || theta.shape(1) != theta.shape(2))
    throw InputError(fmt::format("theta has shape {}, but a layer's is (m, d, d)", shape_of(theta)));
  if (w.ndim() != 3 || !std::equal(theta.shape(), theta.shape() + 3, w.shape()))
    throw InputError(fmt::format("w has shape {}, but theta has {}", shape_of(w), shape_of(theta)));
  Layer layer{theta.shape(1), {}};
  const auto matrix = [&](const Array& from, py::ssize_t i) -> Matrix {
    return Eigen::Map<const attention::RowMatrix>(from.data(i, 0, 0), layer.d, layer.d);
  };
  for (py::ssize_t i = 0; i < theta.shape(0); ++i) layer.heads.push_back({matrix(theta, i), matrix(w, i)});
  layer.network = network_from(network);
  layer.validate();
  return layer;
}

Matrix matrix_of(const char* name, const py::object& given) {
  const Array array = dense_numbers_of(name, given);
  if (array.ndim() != 2)
    throw InputError(fmt::format("{} has shape {}, but a matrix is expected", name, shape_of(array)));
  return Eigen::Map<const attention::RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

/// Empty for None.
attention::Vector vector_of(const char* name, const py::object& given) {
  if (given.is_none()) return {};
  const Array array = dense_numbers_of(name, given);
  if (array.ndim() != 1)
    throw InputError(fmt::format("{} has shape {}, but one extent is expected", name, shape_of(array)));
  return Eigen::Map<const attention::Vector>(array.data(), array.shape(0));
}

Layer from_multihead_attention(const py::object& in_proj_weight, const py::object& out_proj_weight,
                               Whole<"num_heads", 0> num_heads, const py::object& in_proj_bias,
                               const py::object& out_proj_bias) {
  return attention::from_multihead_attention(
      matrix_of("in_proj_weight", in_proj_weight), matrix_of("out_proj_weight", out_proj_weight), num_heads,
      vector_of("in_proj_bias", in_proj_bias), vector_of("out_proj_bias", out_proj_bias));
}

Layer from_torch(const py::object& module) {
  const auto get = [&](const char* name) -> py::object {
    if (!py::hasattr(module, name))
      throw InputError(
          fmt::format("a {} is no torch.nn.MultiheadAttention: it has no {}", type_name(module), name));
    return module.attr(name);
  };
  for (const char* name : {"bias_k", "bias_v"})
    if (!get(name).is_none())
      throw InputError(fmt::format("{}: a layer of heads has no token that is not in its input", name));
  if (get("add_zero_attn").cast<bool>())
    throw InputError("add_zero_attn: a layer of heads has no token that is not in its input");
  const py::object in_proj_weight = get("in_proj_weight");
  if (in_proj_weight.is_none())
    throw InputError(
        fmt::format("kdim = {}, vdim = {}: keys and values of embed_dim = {} features are expected",
                    std::string(py::str(get("kdim"))), std::string(py::str(get("vdim"))),
                    std::string(py::str(get("embed_dim")))));
  const py::object output = get("out_proj");
  return from_multihead_attention(in_proj_weight, output.attr("weight"), {get("num_heads").cast<Index>()},
                                  get("in_proj_bias"), output.attr("bias"));
}

View view_of(const char* name, const Numbers& numbers) {
  const py::array& array = numbers.array;
  if (array.ndim() != 3)
    throw InputError(fmt::format("{} has shape {}, but (N, k, d) is expected", name, shape_of(array)));
  View out;
  out.data = static_cast<const char*>(array.data());
  for (int axis = 0; axis < 3; ++axis) {
    out.shape[static_cast<std::size_t>(axis)] = array.shape(axis);
    out.strides[static_cast<std::size_t>(axis)] = array.strides(axis);
  }
  out.type = array.dtype().equal(py::dtype::of<double>()) ? View::Type::float64 : View::Type::int8;
  out.watched = numbers.watched;
  return out;
}

Array apply(const Layer& layer, const py::object& tokens) {
  const Numbers x = numbers_of("x", tokens, true);
  const View in = view_of("x", x);
  Array y({in.shape[0], in.shape[1], in.shape[2]});
  double* const out = y.mutable_data();
  interruptibly([&](const RunContext& context) {
    check_tokens("x", in, layer.d);
    const attention::LayerTeacher teacher(layer);
    for_each_block(in.shape[0], [&](std::int64_t first, Index count) {
      context.stop.check();
      Block block(layer.d, in.shape[1], count);
      transpose_in(in, first, count, block.x);
      teacher.label(block);
      attention::write_as_array(block.y, block.k, out + first * block.k * block.d());
    });
    in.check();
  });
  return y;
}

void save_layer(const Layer& layer, const Path<>& path, std::optional<Tokens> tokens,
                const std::optional<Text<"inputs">>& inputs) {
  attention::Metadata metadata{{"digest", content_digest(layer)}, {"version", version()}};
  if (tokens) metadata["k"] = std::to_string(tokens->value);
  if (inputs) metadata["inputs"] = name_of(attention::parse_inputs(inputs->value));
  interruptibly([&](const RunContext&) { write_layer(path.value, layer, metadata); });
}

void check_range(const SampleSource& source, std::int64_t first, std::int64_t count) {
  if (const auto* budgeted = dynamic_cast<const BudgetedSource*>(&source); budgeted != nullptr && count > 0)
    return budgeted->check(first, count);
  if (first < 0 || count < 1 || count > source.size() || first > source.size() - count)
    throw InputError(
        fmt::format("examples {} .. {} + {}: there are {}", first, first, count,
                    source.size() == SampleSource::unlimited ? "2^63 - 1" : std::to_string(source.size())));
}

/// Writes examples as arrays [count, k, d] in C order.
void write_examples(const SampleSource& source, std::int64_t first, Index count, double* x, double* y) {
  Block block(source.d(), source.k(), count);
  source.read(first, block);
  attention::write_as_array(block.x, block.k, x);
  attention::write_as_array(block.y, block.k, y);
}

/// The same in single precision: of tokens of signs by the quicker pass, where there is one.
void write_examples(const SampleSource& source, std::int64_t first, Index count, float* x, float* y) {
  thread_local attention::SingleBlock quick;
  quick.resize(source.d(), source.k(), count);
  if (source.k() >= 2 && source.read_single(first, quick)) return attention::write_as_arrays(quick, x, y);
  std::vector<double> numbers(static_cast<std::size_t>(2 * count * source.k() * source.d()));
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  write_examples(source, first, count, numbers.data(), &*middle);
  const auto narrow = [](double entry) { return static_cast<float>(entry); };
  std::transform(numbers.begin(), middle, x, narrow);
  std::transform(middle, numbers.end(), y, narrow);
}

/// Fills arrays [N, k, d] in C order with examples first, first + 1, .., in parallel.
template <class Number>
void fill(const SampleSource& source, std::int64_t first, py::array& x, py::array& y) {
  auto *const x_out = static_cast<Number*>(x.mutable_data()), *const y_out =
                                                                  static_cast<Number*>(y.mutable_data());
  const std::int64_t numbers = source.k() * source.d();
  interruptibly([&, count = x.shape(0)](const RunContext& context) {
    for_each_block(count, [&](std::int64_t start, Index size) {
      context.stop.check();
      write_examples(source, first + start, size, x_out + start * numbers, y_out + start * numbers);
    });
  });
}

/// [N, k, d] in C order, made in parallel and copied once, out of the layout that learners read.
py::tuple read(const Samples& samples, Integer<"first"> first, Integer<"count"> count) {
  const SampleSource& source = *samples.source;
  check_range(source, first, count);
  Array x({count.value, source.k(), source.d()}), y({count.value, source.k(), source.d()});
  fill<double>(source, first, x, y);
  return py::make_tuple(x, y);
}

/// read() into arrays of float32 or float64 that the package has made.
void read_into(const Samples& samples, std::int64_t first, py::array x, py::array y) {
  const SampleSource& source = *samples.source;
  check_range(source, first, x.shape(0));
  if (x.dtype().equal(py::dtype::of<float>()))
    fill<float>(source, first, x, y);
  else
    fill<double>(source, first, x, y);
}

/// Examples that are counted by hand, with the function that counts them.
std::pair<Samples, std::function<void(std::int64_t, std::int64_t)>> uncounted(const Samples& samples) {
  const auto budgeted = std::dynamic_pointer_cast<const BudgetedSource>(samples.source);
  if (budgeted == nullptr) return {samples, [](std::int64_t, std::int64_t) {}};
  return {Samples{budgeted->uncounted()},
          [budgeted](std::int64_t first, std::int64_t count) { budgeted->count(first, count); }};
}

/// Examples first, first + 1, .. in one block, made in parallel.
std::unique_ptr<Block> block_of(const SampleSource& source, std::int64_t first, std::int64_t count,
                                const StopToken& stop) {
  auto out = std::make_unique<Block>(source.d(), source.k(), count);
  for_each_block(count, [&](std::int64_t start, Index size) {
    stop.check();
    Block piece(source.d(), source.k(), size);
    source.read(first + start, piece);
    for (Index a = 0; a < source.k(); ++a) {
      out->x.middleCols(out->column(a, start), size) = piece.x.middleCols(piece.column(a, 0), size);
      out->y.middleCols(out->column(a, start), size) = piece.y.middleCols(piece.column(a, 0), size);
    }
  });
  return out;
}

/// The block itself, seen as [N, k, d]: strides are those of block.h.
py::tuple block(const Samples& samples, Integer<"first"> first_given, Integer<"count"> count_given) {
  const std::int64_t first = first_given, count = count_given;
  check_range(*samples.source, first, count);
  std::unique_ptr<Block> owned = interruptibly(
      [&](const RunContext& context) { return block_of(*samples.source, first, count, context.stop); });
  const Block& b = *owned;
  const py::capsule owner(owned.release(), [](void* p) { delete static_cast<Block*>(p); });
  const auto seen = [&](const attention::RowMatrix& numbers) {
    return Array({b.count, b.k, b.d()}, {number, number * b.count, number * b.k * b.count}, numbers.data(),
                 owner);
  };
  return py::make_tuple(seen(b.x), seen(b.y));
}

std::optional<std::int64_t> size_of(const Samples& samples) {
  if (samples.source->size() == SampleSource::unlimited) return std::nullopt;
  return samples.source->size();
}

void save_samples(const Samples& samples, const Path<>& path, std::optional<Whole<"count">> count) {
  interruptibly([&](const RunContext& context) {
    attention::write_data(path.value, *samples.source, value_of(count).value_or(samples.source->size()),
                          {{"version", version()}}, context);
  });
}

}  // namespace

Samples samples_of_arrays(const py::object& x, const py::object& y,
                          const std::optional<std::string>& inputs) {
  auto arrays =
      std::make_unique<std::pair<Numbers, Numbers>>(numbers_of("x", x, true), numbers_of("y", y, false));
  const View x_view = view_of("x", arrays->first), y_view = view_of("y", arrays->second);
  const std::shared_ptr<const void> owner(arrays.release(), [](auto* p) {
    const py::gil_scoped_acquire acquire;
    delete p;
  });
  const auto stated = inputs ? std::optional(attention::parse_inputs(*inputs)) : std::nullopt;
  return {interruptibly(
      [&](const RunContext&) { return std::make_shared<ArraySource>(x_view, y_view, stated, owner); })};
}

namespace {

void bind_layers(py::module_& module) {
  const auto keep = [](Matrix Head::* matrix) {
    return [matrix](const py::object& self) { return view(self.cast<const Head&>().*matrix, self); };
  };
  py::class_<Head>(module, "Head", "softmax(X theta X^T) X w.")
      .def_property_readonly("theta", keep(&Head::theta),
                             "attention form [d, d]: the layer's own numbers, read-only, in Fortran order")
      .def_property_readonly("w", keep(&Head::w), "projection [d, d], likewise")
      .def("__repr__", [](const Head& head) { return fmt::format("Head(d={})", head.theta.rows()); });

  py::class_<Layer>(module, "Layer", "F(X) = sum_i softmax(X theta_i X^T) X w_i.")
      .def(py::init(&layer_of), "theta"_a, "w"_a, "network"_a = py::none(),
           "From arrays [m, d, d], whose numbers are copied, and a network behind the heads, if any.")
      .def_static(
          "load",
          [](const Path<>& path) {
            return interruptibly([&](const RunContext&) { return attention::read_layer(path.value); });
          },
          "path"_a, "Reads a safetensors file with theta and w.")
      .def_static(
          "from_multihead_attention", &from_multihead_attention, "in_proj_weight"_a, "out_proj_weight"_a,
          "num_heads"_a, "in_proj_bias"_a = py::none(), "out_proj_bias"_a = py::none(),
          "The layer that a torch.nn.MultiheadAttention is, from its weights as arrays. With biases it has "
          "one feature more, the last, which is the constant 1 in tokens and 0 in labels.")
      .def_static("from_torch", &from_torch, "module"_a,
                  "The same from the module. What a layer of heads cannot be is refused by name.")
      .def_readonly("d", &Layer::d)
      .def_property_readonly("m", &Layer::m)
      .def_readonly("heads", &Layer::heads, "their matrices are seen where they lie")
      .def_property_readonly(
          "theta", [](const Layer& layer) { return stacked(layer, &Head::theta); }, "[m, d, d], a copy")
      .def_property_readonly(
          "w", [](const Layer& layer) { return stacked(layer, &Head::w); }, "[m, d, d], a copy")
      .def_property_readonly(
          "network", &network_of,
          "the network behind the heads, N(u) = out relu(in u + in_bias) + out_bias, as copies "
          "(in [h, d], in_bias, out [d, h], out_bias, residual); None without one")
      .def(
          "canonical_form",
          [](const Layer& layer, std::optional<Tokens> tokens, const Text<"inputs">& inputs) {
            const auto last = last_feature(attention::parse_inputs(inputs.value));
            return interruptibly([&](const RunContext& context) {
              return attention::canonical_form(layer, value_of(tokens), attention::canonical_tolerance, last,
                                               context.stop)
                  .layer;
            });
          },
          "tokens"_a = py::none(), py::kw_only(), "inputs"_a = "gaussian",
          "the one layer chosen of all that are the same function of this many tokens; of inputs with a "
          "constant feature (\"gaussian+1\") more layers are the same")
      .def_property_readonly("digest", [](const Layer& layer) { return content_digest(layer); })
      .def("__call__", &apply, "x"_a, "F(X) of tokens [N, k, d], or T(X) with a network.")
      .def("save", &save_layer, "path"_a, py::kw_only(), "tokens"_a = py::none(), "inputs"_a = py::none(),
           "Writes a safetensors file; with `tokens` it names a source of examples.")
      .def("__repr__",
           [](const Layer& layer) { return fmt::format("Layer(m={}, d={})", layer.m(), layer.d); });
}

void bind_samples(py::module_& module) {
  module.def("_read_into", &read_into);
  py::class_<Samples>(module, "Samples", "Examples (X, F(X)) by index.")
      .def(
          py::init([](const py::object& x, const py::object& y, const std::optional<Text<"inputs">>& inputs) {
            return samples_of_arrays(x, y, value_of(inputs));
          }),
          "x"_a, "y"_a, "inputs"_a = py::none(),
          "From arrays [N, k, d], read where they lie (float64, and int8 for x; others are copied). "
          "They must not change while they are in use.")
      .def_static(
          "load",
          [](const Path<>& path) {
            return Samples{interruptibly(
                [&](const RunContext&) { return std::make_shared<attention::FileSource>(path.value); })};
          },
          "path"_a,
          "Reads a safetensors file with x and y, by memory map. Where the file is written to later, reading "
          "throws InputError.")
      .def_property_readonly("d", [](const Samples& s) { return s.source->d(); })
      .def_property_readonly("k", [](const Samples& s) { return s.source->k(); })
      .def_property_readonly("inputs", [](const Samples& s) { return name_of(s.source->inputs()); })
      .def_property_readonly("size", &size_of, "None: as many as are asked for")
      .def("read", &read, "first"_a, "count"_a,
           "(x, y) [count, k, d] in C order. One copy is made, as learners read another layout.")
      .def("block", &block, "first"_a, "count"_a,
           "(x, y) [count, k, d] without a copy, as learners read them: examples are the fastest index.")
      .def("save", &save_samples, "path"_a, "count"_a = py::none(), "Writes a safetensors file.")
      .def("__repr__", [](const Samples& s) {
        return fmt::format("Samples(d={}, k={}, inputs='{}', size={})", s.source->d(), s.source->k(),
                           name_of(s.source->inputs()), size_of(s) ? std::to_string(*size_of(s)) : "None");
      });
}

}  // namespace

void bind_attention(py::module_& module) {
  module.def("_array", [](const std::string& name, const py::object& given) {
    return dense_numbers_of(name.c_str(), given);
  });
  bind_layers(module);
  bind_samples(module);
  module.def("_uncounted", &uncounted);
}

}  // namespace hardhead::python
