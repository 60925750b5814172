import type { ClusterSettings } from "../base/settings.ts";
import { runtimePlaceProblems } from "../plan/place-problems.ts";
import { sharedRuntimeProblem } from "../runtimes/runtime-problems.ts";
import { clustersHere } from "./list.ts";

/** Why a node can't have its runtime on this machine, beside the clusters that are there. */
export async function runtimeProblemsHere(settings: ClusterSettings): Promise<string[]> {
  const others = clustersHere().map((one) => one.settings);
  const shared = sharedRuntimeProblem(settings, others);
  return [...(shared === undefined ? [] : [shared]), ...(await runtimePlaceProblems(settings))];
}
