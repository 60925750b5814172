import type { Resource } from "#/api/base/resource.ts";
import type { KindRules } from "../base/kind-rules.ts";
import { cronJobRules, jobRules } from "./batch.ts";
import {
  anyRules,
  apiServiceRules,
  autoscalerRules,
  budgetRules,
  namespaceRules,
  nodeRules,
} from "./others.ts";
import { podRules } from "./pod.ts";
import { ingressRules, serviceRules } from "./services.ts";
import { claimRules, volumeRules } from "./storage.ts";
import {
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
} from "./workloads.ts";

const rules: readonly KindRules[] = [
  podRules,
  deploymentRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
  daemonSetRules,
  jobRules,
  cronJobRules,
  serviceRules,
  ingressRules,
  claimRules,
  volumeRules,
  nodeRules,
  namespaceRules,
  autoscalerRules,
  budgetRules,
  apiServiceRules,
];

/** The rules of a kind, or those of any. */
interface AppliedRules extends Omit<KindRules, "resource"> {
  /** Whether there are rules of the kind itself. */
  readonly isKnown: boolean;
}

/** How objects of a resource are judged. */
export function rulesOf({ group, name }: Resource): AppliedRules {
  const own = rules.find(({ resource }) => resource.group === group && resource.name === name);
  return own ? { ...own, isKnown: true } : { ...anyRules, isKnown: false };
}
