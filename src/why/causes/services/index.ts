import type { Cause } from "../../base/cause.ts";
import { endpointPort } from "./endpoint-port.ts";
import { endpointsMissing } from "./endpoints-missing.ts";
import { externalName } from "./external-name.ts";
import { idlePolicy } from "./idle-policy.ts";
import { ingressBackend } from "./ingress-backend.ts";
import { ingressClass } from "./ingress-class.ts";
import { ingressConflict } from "./ingress-conflict.ts";
import { ingressPending } from "./ingress-pending.ts";
import { ingressTls } from "./ingress-tls.ts";
import { loadBalancerPending } from "./load-balancer.ts";
import { networkPolicy } from "./network-policy.ts";
import { noReadyPod } from "./no-ready-pod.ts";
import { noSelector } from "./no-selector.ts";
import { routeCondition } from "./route-condition.ts";
import { selectsNothing } from "./selects-nothing.ts";
import { targetPortClosed } from "./target-port-closed.ts";
import { targetPortLoopback } from "./target-port-loopback.ts";
import { targetPortName } from "./target-port-name.ts";
import { targetPortNumber } from "./target-port-number.ts";
import { serviceWarning } from "./warning.ts";

/** Of a group the first that applies counts. */
export const serviceCauses: readonly Cause[] = [
  selectsNothing,
  noSelector,
  endpointPort,
  externalName,
  targetPortName,
  noReadyPod,
  endpointsMissing,
  targetPortClosed,
  targetPortLoopback,
  targetPortNumber,
  loadBalancerPending,
  serviceWarning,
  networkPolicy,
  idlePolicy,
  ingressBackend,
  ingressClass,
  ingressTls,
  ingressPending,
  ingressConflict,
  routeCondition,
];
