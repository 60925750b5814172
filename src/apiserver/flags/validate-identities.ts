/** Upstream: pkg/kubeapiserver/options/authentication.go. */
import type { ApiServerFlags } from "./index.ts";

const hourMs = 3_600_000;
const maxTokenMs = 2 ** 32 * 1000;

/** Flags of authentication. */
export function identityErrors(flags: ApiServerFlags): string[] {
  const { "oidc-issuer-url": issuer, "oidc-client-id": client } = flags;
  const expiration = flags["service-account-max-token-expiration"];
  const keys = flags["service-account-jwks-uri"];
  return [
    ...((issuer === "") === (client === "")
      ? []
      : [
          "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
        ]),
    ...(flags["service-account-issuer"].includes("")
      ? ["service-account-issuer should not be an empty string"]
      : []),
    ...(keys === "" || keys.startsWith("https://")
      ? []
      : [`service-account-jwks-uri requires https scheme, parsed as: ${keys}`]),
    ...(expiration !== 0 && (expiration < hourMs || expiration > maxTokenMs)
      ? ["the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"]
      : []),
  ];
}
