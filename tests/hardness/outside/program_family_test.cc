#include "hardness/families/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::hardness {
namespace {

/// A shell script in a folder of its own, as the program of a spec.
class Script {
 public:
  explicit Script(const std::string& body) : path_(folder_.write("family.sh", body + "\n")) {}
  /// It notes its arguments and copies this layer to the last.
  explicit Script(const attention::Layer& layer)
      : Script("cd \"${0%/*}\" && echo \"$1 $2 $3 $4 $5\" >> arguments && cp given.safetensors \"$6\"") {
    attention::write_layer(folder_.path("given.safetensors"), layer, {});
  }

  std::string spec(const std::string& values) const { return "exec:program=sh " + path_ + "," + values; }
  std::string arguments() const { return folder_.read("arguments"); }

 private:
  ScratchFolder folder_;
  std::string path_;
};

TEST(ProgramFamily, IsTheLayerThatTheProgramWritesLabelledByItsForwardPass) {
  const attention::Layer layer = make("nice:d=5,k=2,m=3").layer;
  const Script script(layer);
  const Instance made = make(script.spec("d=5,k=4,m=3,inputs=gaussian,seed=9"));
  EXPECT_EQ(script.arguments(), "d=5 k=4 m=3 inputs=gaussian seed=9\n");
  EXPECT_EQ(attention::content_digest(made.layer), attention::content_digest(layer));
  EXPECT_EQ(made.k, 4);
  EXPECT_EQ(made.inputs, attention::Inputs::gaussian);
  EXPECT_FALSE(made.null.exact_error) << "the null predictor is the best affine function";
  attention::Block ours(5, 4, 3);
  attention::draw_tokens(made.inputs, Stream(Domain::test, 1), 0, ours);
  attention::Block theirs = ours;
  made.teacher->label(ours);
  attention::LayerTeacher(layer).label(theirs);
  EXPECT_EQ(ours.y, theirs.y);
  EXPECT_EQ(make(made.spec.str()).digest, made.digest);
  EXPECT_NE(make(script.spec("d=5,k=4,m=3,inputs=gaussian,seed=8")).digest, made.digest);
}

TEST(ProgramFamily, TellsItsSizesWithoutRunningTheProgram) {
  EXPECT_TRUE(runs_a_program(Spec::parse("exec:program=false")));
  EXPECT_FALSE(runs_a_program(Spec::parse("nice")));
  const InstanceShape shape = instance_shape(Spec::parse("exec:program=false,d=7,k=2,m=4"));
  EXPECT_EQ(shape.d, 7);
  EXPECT_EQ(shape.k, 2);
  EXPECT_EQ(shape.m, 4);
}

TEST(ProgramFamily, RefusesWhatIsNoLayerOfItsSizeWithWhatTheProgramSaid) {
  using testing::AllOf;
  using testing::HasSubstr;
  using testing::StartsWith;
  const auto of = [](const auto& given) {
    const Script script(given);
    return refusal_of([&] { make(script.spec("d=5,k=2,m=3")); });
  };
  EXPECT_THAT(of("echo first; echo no d=5 here >&2; exit 3"),
              AllOf(StartsWith("spec 'exec:program=sh "),
                    HasSubstr("the program ended with exit code 3: 'no d=5 here'")));
  EXPECT_THROW(make(Script("kill -9 $$").spec("d=5,k=2,m=3")), MachineError) << "no fault of the spec's";
  EXPECT_THAT(of("echo done"), HasSubstr("wrote no layer to the file that its last argument names: 'done'"));
  EXPECT_THAT(of("echo no layer > \"$6\""),
              HasSubstr("the program's layer cannot be used: 'layer.safetensors'"));
  EXPECT_THAT(of(make("nice:d=6,m=3").layer), HasSubstr("made a layer of d=6, m=3; the spec says d=5, m=3"));
  EXPECT_THAT(of(make("parity:d=5,m=1").layer), HasSubstr("the program's layer has the form of a hard one"));
  EXPECT_THROW(make("exec:d=5"), InputError) << "no program";
  EXPECT_THROW(make("exec:program=true,rho=1"), InputError) << "no such parameter";
}

}  // namespace
}  // namespace hardhead::hardness
