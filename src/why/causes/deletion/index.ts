import type { Cause } from "../../base/cause.ts";
import { claimInUse } from "./claim-in-use.ts";
import { crdInstances } from "./crd-instances.ts";
import { dependentsRemain } from "./dependents.ts";
import { finalizerRemains } from "./finalizer.ts";
import { namespaceStuck } from "./namespace.ts";
import { podEnding } from "./pod-ending.ts";
import { volumeInUse } from "./volume-in-use.ts";

/** Of a group the first that applies counts. */
export const deletionCauses: readonly Cause[] = [
  namespaceStuck,
  claimInUse,
  volumeInUse,
  crdInstances,
  podEnding,
  dependentsRemain,
  finalizerRemains,
];
