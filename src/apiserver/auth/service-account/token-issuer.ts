import { createPublicKey, type KeyObject } from "node:crypto";
import { signJwt } from "#/std/x509/jwt.ts";
import type { TokenIssuer } from "../../model/token-services.ts";
import { publicKeyOf } from "./keys.ts";

interface TokenIssuerOptions {
  /** Signs claims as a token. */
  readonly sign: (claims: object) => Promise<string>;
  readonly issuer: string;
  readonly maxExpirationSeconds: number;
  readonly extendExpiration: boolean;
  readonly maxExtendedSeconds?: number;
}

/** Issues tokens of one issuer. */
export function tokenIssuer({ sign, issuer, ...limits }: TokenIssuerOptions): TokenIssuer {
  return { ...limits, sign: (claims) => sign(sorted({ ...claims, iss: issuer })) };
}

/** Signs with a private key. */
export function signWith(key: KeyObject): TokenIssuerOptions["sign"] {
  const { id } = publicKeyOf(createPublicKey(key));
  return (claims) => signJwt(key, id, claims);
}

/** Claims in the order of their names, as Go writes maps. */
function sorted(claims: object): object {
  return Object.fromEntries(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1)));
}
