import {
  constants,
  createHash,
  type KeyObject,
  type SigningOptions,
  sign,
  verify,
} from "node:crypto";

/** JSON Web Tokens in compact form. Upstream uses go-jose. */
export interface Jwt {
  readonly header: { readonly alg: string; readonly kid?: string };
  readonly claims: Readonly<Record<string, unknown>>;
  /** What was signed. */
  readonly signed: string;
  readonly signature: Buffer;
}

interface Algorithm {
  /** Type of keys it works with, as KeyObject names it. */
  readonly keyType: "rsa" | "ec";
  readonly hash: string;
  readonly curve?: string;
  readonly options: Omit<SigningOptions, "key">;
}

const pss = (hashBytes: number) => ({
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: hashBytes,
});
const ec = { dsaEncoding: "ieee-p1363" } as const;

/** There is no "none" here. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { keyType: "rsa", hash: "sha256", options: {} },
  RS384: { keyType: "rsa", hash: "sha384", options: {} },
  RS512: { keyType: "rsa", hash: "sha512", options: {} },
  PS256: { keyType: "rsa", hash: "sha256", options: pss(32) },
  PS384: { keyType: "rsa", hash: "sha384", options: pss(48) },
  PS512: { keyType: "rsa", hash: "sha512", options: pss(64) },
  ES256: { keyType: "ec", hash: "sha256", curve: "prime256v1", options: ec },
  ES384: { keyType: "ec", hash: "sha384", curve: "secp384r1", options: ec },
  ES512: { keyType: "ec", hash: "sha512", curve: "secp521r1", options: ec },
};

/** Go's decoder takes any last bits, but no length that bytes cannot have. */
const part = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;
/** No token that anybody issues is longer. */
const maxTokenLength = 64 * 1024;

/** Takes a token apart; undefined if it is none. Nothing of it is to be believed yet. */
export function parseJwt(token: string): Jwt | undefined {
  if (token.length > maxTokenLength) return undefined;
  const parts = token.split(".");
  const [header = "", claims = "", signature = ""] = parts;
  if (parts.length !== 3) return undefined;
  if (!part.test(header) || !part.test(claims) || !part.test(signature)) return undefined;
  const head = parseObject(header);
  const body = parseObject(claims);
  if (!head || !body || typeof head["alg"] !== "string" || head["crit"] !== undefined) {
    return undefined;
  }
  const kid = typeof head["kid"] === "string" && head["kid"] !== "" ? { kid: head["kid"] } : {};
  return {
    header: { alg: head["alg"], ...kid },
    claims: body,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url"),
  };
}

function parseObject(base64: string): Record<string, unknown> | undefined {
  const text = Buffer.from(base64, "base64url").toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && !hasDuplicateKeys(text) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // No JSON: not a token of this kind.
  }
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Whether an object in a JSON text, which is well-formed, has a key twice: two readers could see two tokens. */
function hasDuplicateKeys(json: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of json.matchAll(jsonToken)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key: string = JSON.parse(last);
      if (open.at(-1)?.has(key)) return true;
      open.at(-1)?.add(key);
    }
    last = token;
  }
  return false;
}

/** Whether a key made a token's signature, by an algorithm that belongs to the key. */
export function verifyJwt({ header, signed, signature }: Jwt, key: KeyObject): boolean {
  const algorithm = Object.hasOwn(algorithms, header.alg) ? algorithms[header.alg] : undefined;
  if (!algorithm || !fits(algorithm, key)) return false;
  const { hash, options } = algorithm;
  return verify(hash, Buffer.from(signed), { key, ...options }, signature);
}

function fits({ keyType, curve }: Algorithm, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== keyType) return false;
  return curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve;
}

/** The algorithm that keys of this kind sign with; throws for other kinds. */
export function signingAlgorithm(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  const found = Object.entries(algorithms).find(
    ([, algorithm]) => algorithm.keyType === "ec" && fits(algorithm, key),
  );
  if (!found) throw new Error("unknown private key curve, must be 256, 384, or 521");
  return found[0];
}

/** The id of a public key: a digest, so that nobody can take it for the key. Upstream: pkg/serviceaccount/jwt.go. */
export function keyIdOf(key: KeyObject): string {
  const der = key.export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("base64url");
}

/** Signs claims, off the event loop. */
export function signJwt(key: KeyObject, kid: string, claims: object): Promise<string> {
  const alg = signingAlgorithm(key);
  const { hash, options } = algorithms[alg] as Algorithm;
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg, kid })}.${encode(claims)}`;
  return new Promise((resolve, reject) => {
    sign(hash, Buffer.from(signed), { key, ...options }, (error, signature) =>
      error ? reject(error) : resolve(`${signed}.${signature.toString("base64url")}`),
    );
  });
}
