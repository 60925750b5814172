import type { Declaration } from "../../registry/strategy.ts";
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./policies.ts";
import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from "./policy-bindings.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from "./webhook-configurations.ts";

export const admissionregistrationResources: readonly Declaration[] = [
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
];
