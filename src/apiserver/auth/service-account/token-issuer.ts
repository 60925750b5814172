import { createPublicKey, type KeyObject } from "node:crypto";
import { signJwt } from "#/std/jwt.ts";
import type { TokenIssuer } from "../token-services.ts";
import { publicKeyOf } from "./keys.ts";

export interface TokenIssuerOptions {
  readonly key: KeyObject;
  readonly issuer: string;
  readonly maxExpirationSeconds: number;
  readonly extendExpiration: boolean;
}

/** Signs tokens with a private key. */
export function tokenIssuer({ key, issuer, ...limits }: TokenIssuerOptions): TokenIssuer {
  const { id } = publicKeyOf(createPublicKey(key));
  return { ...limits, sign: (claims) => signJwt(key, id, sorted({ ...claims, iss: issuer })) };
}

/** Claims in the order of their names, as Go writes maps. */
function sorted(claims: object): object {
  return Object.fromEntries(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1)));
}
