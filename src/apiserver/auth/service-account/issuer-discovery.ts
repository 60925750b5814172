import { signingAlgorithm } from "#/std/x509/jwt.ts";
import type { Paths } from "../../http/paths.ts";
import { bytesReply } from "../../model/exchange.ts";
import type { PublicKey, VerificationKeys } from "./keys.ts";

const jwksPath = "/openid/v1/jwks";
const cacheControl = { "cache-control": "public, max-age=3600" };

interface DiscoveryOptions {
  readonly issuer: string;
  /** URL of the keys; empty for this server at its external address. */
  readonly jwksUri: string;
  /** host:port under which clients reach this server. */
  readonly externalAddress: string;
  readonly keys: Pick<VerificationKeys, "keys">;
}

/**
 * Publishes the issuer and the keys of service account tokens, so that other programs can verify them.
 *
 * Upstream: pkg/serviceaccount/openidmetadata.go, pkg/routes/openidmetadata.go.
 */
export function addIssuerDiscovery(paths: Paths, options: DiscoveryOptions): void {
  const { issuer, externalAddress, keys } = options;
  if (!issuer.startsWith("https://") || issuer.includes("?") || issuer.includes("#")) return;
  const published = () => keys.keys.filter(({ isHidden }) => !isHidden);
  const configuration = () => ({
    issuer,
    jwks_uri: options.jwksUri || `https://${externalAddress}${jwksPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [
      ...new Set(published().map(({ key }) => signingAlgorithm(key))),
    ].sort(),
  });
  const keySet = () => ({ keys: published().map(webKey) });
  addAnswer(paths, "/.well-known/openid-configuration", "application/json", configuration);
  addAnswer(paths, jwksPath, "application/jwk-set+json", keySet);
}

function webKey({ id, key }: PublicKey): object {
  const { kty, crv, ...parts } = key.export({ format: "jwk" });
  const curve = crv === undefined ? {} : { crv };
  return { use: "sig", kty, kid: id, ...curve, alg: signingAlgorithm(key), ...parts };
}

function addAnswer(paths: Paths, path: string, mediaType: string, value: () => object): void {
  paths.addDocument(path, [mediaType], async () =>
    bytesReply(200, mediaType, Buffer.from(JSON.stringify(value())), cacheControl),
  );
}
