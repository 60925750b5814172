import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Authentication flags". */
export const authenticationFlags = {
  "anonymous-auth": {
    type: "bool",
    default: true,
    help: "Let in requests without credentials, as system:anonymous.",
  },
  "api-audiences": {
    type: "stringSlice",
    help: "Audiences that tokens may be for; the issuer is the default.",
  },
  "authentication-config": {
    type: "string",
    help: "A file that configures how users are authenticated.",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: 120000,
    help: "How long answers of the token webhook are remembered.",
  },
  "authentication-token-webhook-config-file": {
    type: "string",
    help: "A kubeconfig of the webhook that is asked about tokens.",
  },
  "authentication-token-webhook-version": {
    type: "string",
    default: "v1beta1",
    help: "The version of TokenReview that the webhook speaks.",
  },
  "client-ca-file": {
    type: "string",
    help: "Authorities whose client certificates say who somebody is.",
  },
  "enable-bootstrap-token-auth": {
    type: "bool",
    help: "Accept tokens from secrets in kube-system, for joining the cluster.",
  },
  "oidc-ca-file": {
    type: "string",
    help: "The authority that the OpenID provider's certificate is checked against.",
  },
  "oidc-client-id": {
    type: "string",
    help: "The client for which the OpenID provider must have issued a token.",
  },
  "oidc-groups-claim": { type: "string", help: "The claim that holds a user's groups." },
  "oidc-groups-prefix": { type: "string", help: "What is put before the groups of OpenID users." },
  "oidc-issuer-url": { type: "string", help: "The https address of the OpenID provider." },
  "oidc-required-claim": {
    type: "configurationMap",
    help: "A claim that tokens must have, as key=value. May be repeated.",
  },
  "oidc-signing-algs": {
    type: "stringSlice",
    default: ["RS256"],
    help: "Algorithms that may sign OpenID tokens.",
  },
  "oidc-username-claim": {
    type: "string",
    default: "sub",
    help: "The claim that holds the user's name.",
  },
  "oidc-username-prefix": {
    type: "string",
    help: "What is put before the names of OpenID users; - for nothing.",
  },
  "requestheader-allowed-names": {
    type: "stringSlice",
    help: "Common names of proxies whose headers are believed; any if empty.",
  },
  "requestheader-client-ca-file": {
    type: "string",
    help: "Authorities of the proxies whose headers are believed.",
  },
  "requestheader-extra-headers-prefix": {
    type: "stringSlice",
    help: "What headers with further facts about a user begin with.",
  },
  "requestheader-group-headers": {
    type: "stringSlice",
    help: "Headers that hold a user's groups.",
  },
  "requestheader-uid-headers": { type: "stringSlice", help: "Headers that hold a user's uid." },
  "requestheader-username-headers": {
    type: "stringSlice",
    help: "Headers that hold a user's name.",
  },
  "service-account-extend-token-expiration": {
    type: "bool",
    default: true,
    help: "Let tokens that pods get by themselves live longer, and say who still uses them.",
  },
  "service-account-issuer": {
    type: "stringArray",
    help: "Who issues the tokens of service accounts; the first one signs. May be repeated.",
  },
  "service-account-jwks-uri": {
    type: "string",
    help: "Where the keys for checking tokens are published.",
  },
  "service-account-key-file": {
    type: "stringArray",
    help: "Keys that check tokens of service accounts. May be repeated.",
  },
  "service-account-lookup": {
    type: "bool",
    default: true,
    help: "Refuse tokens whose service account or secret is gone.",
  },
  "service-account-max-token-expiration": {
    type: "duration",
    help: "The longest time that a token may be asked for.",
  },
  "token-auth-file": { type: "string", help: "A file of tokens, each with its user." },
} satisfies FlagSet;
