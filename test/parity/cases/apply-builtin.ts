import type { Area } from "../case.ts";
import { configMapCases } from "./apply-config-map.ts";
import { deploymentCases } from "./apply-deployment.ts";
import { autoscalerCases, podCases, serviceCases } from "./apply-pod.ts";

/** Server-side apply and the tracking of ordinary writes on built-in kinds. */
export const applyBuiltin: Area = {
  name: "apply-builtin",
  cases: [...configMapCases, ...deploymentCases, ...serviceCases, ...podCases, ...autoscalerCases],
};
