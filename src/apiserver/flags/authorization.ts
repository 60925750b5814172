import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Authorization flags". */
export const authorizationFlags = {
  "authorization-config": {
    type: "string",
    help: "A file that configures the chain of authorizers.",
  },
  "authorization-mode": {
    type: "stringSlice",
    help: "Who decides what users may do, in this order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny.",
  },
  "authorization-policy-file": { type: "string", help: "The policy file of the ABAC mode." },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: 300000,
    help: "How long a webhook's yes is remembered.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: 30000,
    help: "How long a webhook's no is remembered.",
  },
  "authorization-webhook-config-file": {
    type: "string",
    help: "A kubeconfig of the webhook of the Webhook mode.",
  },
  "authorization-webhook-version": {
    type: "string",
    default: "v1beta1",
    help: "The version of SubjectAccessReview that the webhook speaks.",
  },
} satisfies FlagSet;
