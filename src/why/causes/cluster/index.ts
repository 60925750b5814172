import type { Cause } from "../../base/cause.ts";
import { policyExpression, policyUnbound } from "./admission-policy.ts";
import { apiServiceUnavailable } from "./api-service.ts";
import { bindingWithoutAccount, bindingWithoutRole } from "./binding.ts";
import { budgetBlocks } from "./budget.ts";
import { budgetOverlap } from "./budget-overlap.ts";
import { certificateRequest } from "./certificate-request.ts";
import { crdNotServed } from "./crd.ts";
import { crdConversion } from "./crd-conversion.ts";
import { hpaLimited } from "./hpa-limited.ts";
import { hpaMetrics } from "./hpa-metrics.ts";
import { hpaTarget } from "./hpa-target.ts";
import { quotaFull } from "./quota-full.ts";
import { accountSecretMissing } from "./service-account.ts";
import { webhookWithoutServer } from "./webhook.ts";
import { webhookFails } from "./webhook-fails.ts";

export const clusterCauses: readonly Cause[] = [
  hpaTarget,
  hpaMetrics,
  hpaLimited,
  budgetOverlap,
  budgetBlocks,
  quotaFull,
  accountSecretMissing,
  apiServiceUnavailable,
  crdNotServed,
  crdConversion,
  webhookWithoutServer,
  webhookFails,
  policyExpression,
  policyUnbound,
  bindingWithoutRole,
  bindingWithoutAccount,
  certificateRequest,
];
