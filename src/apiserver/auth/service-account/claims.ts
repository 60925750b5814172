/** The claims of service account tokens. Upstream: pkg/serviceaccount/claims.go, pkg/serviceaccount/legacy.go. */

/** An object that a token names. */
export interface ClaimedObject {
  readonly name: string;
  readonly uid: string;
}

/** Claims of every JSON Web Token. Times are in seconds. */
export interface StandardClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly id: string;
}

/** Claims under "kubernetes.io". */
export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: ClaimedObject;
  readonly pod: ClaimedObject | undefined;
  readonly secret: ClaimedObject | undefined;
  readonly node: ClaimedObject | undefined;
  /** Set if the token is bound to a webhook's configuration. */
  readonly webhook: boolean;
  readonly warnAfter: number | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const seconds = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? Math.trunc(value) : undefined;
const record = (value: unknown): Claims | undefined =>
  typeof value === "object" && value !== null ? (value as Claims) : undefined;

/** The standard claims; throws if a claim has the wrong type, as a decoder would. */
export function standardClaims(claims: Claims): StandardClaims {
  const { iss, sub, aud, exp, nbf, iat, jti } = claims;
  for (const [name, value] of Object.entries({ exp, nbf, iat })) {
    if (value !== undefined && value !== null && seconds(value) === undefined) {
      throw new Error(`claim ${name} is no number`);
    }
  }
  return {
    issuer: text(iss),
    subject: text(sub),
    audiences: typeof aud === "string" ? [aud] : Array.isArray(aud) ? aud.map(text) : [],
    expiry: seconds(exp),
    notBefore: seconds(nbf),
    issuedAt: seconds(iat),
    id: text(jti),
  };
}

/** The claims of a bound token. */
export function kubernetesClaims(claims: Claims): KubernetesClaims {
  const own = record(claims["kubernetes.io"]) ?? {};
  return {
    namespace: text(own["namespace"]),
    serviceaccount: object(own["serviceaccount"]) ?? { name: "", uid: "" },
    pod: object(own["pod"]),
    secret: object(own["secret"]),
    node: object(own["node"]),
    webhook:
      own["validatingwebhookconfiguration"] !== undefined ||
      own["mutatingwebhookconfiguration"] !== undefined,
    warnAfter: seconds(own["warnafter"]) || undefined,
  };
}

function object(value: unknown): ClaimedObject | undefined {
  const found = record(value);
  return found && { name: text(found["name"]), uid: text(found["uid"]) };
}

/** The claims of a token that a controller stored in a Secret. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUID: string;
  readonly secretName: string;
}

export function legacyClaims(claims: Claims): LegacyClaims {
  const own = (name: string): string => text(claims[`kubernetes.io/serviceaccount/${name}`]);
  return {
    namespace: own("namespace"),
    serviceAccountName: own("service-account.name"),
    serviceAccountUID: own("service-account.uid"),
    secretName: own("secret.name"),
  };
}
