#pragma once
#include <map>
#include <string>
#include <vector>

#include "attention/files/safetensors.h"
#include "attention/layer/layer.h"

namespace hardhead::attention {

/// The tensors of a trained model, by name: one safetensors file, or several with an index that says which
/// tensor is in which of them. Headers are checked in full when it is opened; of the tensors only those that
/// are asked for are read. A file of an index that cannot be read, or is not there, is refused when one of
/// its tensors is asked for.
///
///     {"weight_map": {"h.0.attn.c_attn.weight": "model-00001-of-00002.safetensors", ..}}
class Checkpoint {
 public:
  /// Opens a safetensors file, an index (`*.index.json`), or a folder with `model.safetensors` or, where
  /// there is none, `model.safetensors.index.json`. Throws InputError naming the file and the tensor:
  /// whatever is wrong with the file, or with all files of the index (as SafetensorsFile), an index that is
  /// none, names a file outside of its folder, or names a tensor that its file does not have; a tensor that
  /// is in two files.
  explicit Checkpoint(const std::string& path);

  const std::string& path() const { return path_; }      ///< as it was given
  const std::string& folder() const { return folder_; }  ///< the folder of its files
  /// The files that are read, by the names that the index gives them.
  const std::map<std::string, SafetensorsFile>& files() const { return files_; }
  /// What is wrong with the other files of the index, by their names.
  const std::map<std::string, std::string>& unread_files() const { return unread_files_; }
  /// Is this path that of one of its files: of tensors, an index, or config.json?
  bool has_file(const std::string& path) const;
  /// The file that has a tensor, by the tensor's name; null for one in a file that is not read.
  const std::map<std::string, const SafetensorsFile*>& tensors() const { return tensors_; }
  /// Is there a tensor of that name?
  bool has(const std::string& name) const { return tensors_.contains(name); }

  /// A tensor's type, shape and bytes. Throws InputError naming it: there is none, or its file is not read.
  const SafetensorsFile::Tensor& tensor(const std::string& name) const;
  /// A tensor of shape [rows, columns], widened exactly; with 3 extents [n, rows, columns] those of n
  /// matrices on top of each other. Throws InputError naming file and tensor: there is none, another number
  /// of extents, a type that is not real (quantised weights), an entry that is not finite.
  Matrix matrix(const std::string& name, std::size_t extents = 2) const;
  /// The same of shape [size]; with 2 extents [n, size] those of n vectors one after another.
  Vector vector(const std::string& name, std::size_t extents = 1) const;
  /// Throws the InputError for a tensor that is there: its file, its name and `what` is wrong.
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  void open_index(const std::string& index);
  void open(const std::string& file);
  void add_tensors_of(const SafetensorsFile& file);
  const SafetensorsFile::Tensor& real_tensor(const std::string& name, std::size_t extents) const;
  std::vector<double> finite_elements(const std::string& name, const SafetensorsFile::Tensor& tensor) const;

  std::string path_, folder_;
  std::map<std::string, SafetensorsFile> files_;
  std::map<std::string, const SafetensorsFile*> tensors_;
  std::map<std::string, std::string> unread_files_,
      unread_tensors_;  ///< file -> what is wrong, tensor -> file
};

/// Whether `path` is that of a checkpoint: a folder, an index, or a safetensors file that is neither a layer
/// (theta, w) nor a data set (x, y). Throws InputError for a file of another kind.
bool names_a_checkpoint(const std::string& path);

}  // namespace hardhead::attention
