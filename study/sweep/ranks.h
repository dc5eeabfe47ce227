#pragma once
#include "study/sweep/execute.h"
#include "study/sweep/work_queue.h"

namespace hardhead::study {

/// The root's side of a job: hands out the runs of the queue to the other ranks as they ask for work, and
/// records their results, until every rank was told that there is no more.
///
/// A message to the root is the result of the run that the rank was given last, as JSON, or empty, or
/// behind a `!` the text of the InputError that refused it, which is thrown here; an answer is a run to be
/// done, as JSON, or empty when there is no more.
void hand_out_runs(WorkQueue& queue, const Communicator& communicator, const StopToken& stop);

/// The other side: carries out the runs that the root hands out, until there are no more. Throws as run(),
/// but for InputError, which is the root's to throw.
void carry_out_runs(BadPoint bad_point, const RunContext& context);

}  // namespace hardhead::study
