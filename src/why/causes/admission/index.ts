import type { Cause } from "../../base/cause.ts";
import { nameTaken } from "./already-exists.ts";
import { controllerForbidden } from "./controller-forbidden.ts";
import { templateInvalid } from "./invalid.ts";
import { limitRange } from "./limit-range.ts";
import { namespaceEnds } from "./namespace-ends.ts";
import { ownerForbidden } from "./owner-forbidden.ts";
import { podSecurity } from "./pod-security.ts";
import { policyDenied } from "./policy-denied.ts";
import { priorityClassMissing } from "./priority-class.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import { quotaNeedsValues } from "./quota-needs-values.ts";
import { refused } from "./refused.ts";
import { runtimeClassRefused } from "./runtime-class.ts";
import { serviceAccountMissing } from "./service-account-missing.ts";
import { storeFails } from "./store.ts";
import { webhookDenied } from "./webhook-denied.ts";
import { webhookFailed } from "./webhook-failed.ts";

/** Of a group the first that applies counts: texts that quote others are first. */
export const admissionCauses: readonly Cause[] = [
  webhookDenied,
  webhookFailed,
  policyDenied,
  podSecurity,
  quotaExceeded,
  quotaNeedsValues,
  limitRange,
  serviceAccountMissing,
  priorityClassMissing,
  runtimeClassRefused,
  ownerForbidden,
  controllerForbidden,
  namespaceEnds,
  templateInvalid,
  nameTaken,
  storeFails,
  refused,
];
