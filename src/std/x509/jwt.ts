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
  /** The signed text. */
  readonly signed: string;
  readonly signature: Buffer;
}

interface Algorithm {
  /** The key type, as in KeyObject. */
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

/** "none" is not supported. */
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

/** Go's decoder ignores unused last bits, but refuses impossible lengths. */
const part = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;
/** Limit of a token (characters); longer ones are never issued. */
const maxTokenLength = 64 * 1024;

/** Parses a token; undefined if it is none. Its content is not verified. */
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
    return undefined; // Invalid JSON: not a JWT.
  }
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * Whether an object in a valid JSON text has a duplicate key: two parsers could read two tokens.
 */
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

/** Whether a key made a token's signature, by an algorithm of the key's type. */
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

/** The signing algorithm of a key; throws for unsupported types. */
export function signingAlgorithm(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  const found = Object.entries(algorithms).find(
    ([, algorithm]) => algorithm.keyType === "ec" && fits(algorithm, key),
  );
  if (!found) throw new Error("unknown private key curve, must be 256, 384, or 521");
  return found[0];
}

/**
 * The id of a public key: a digest, so that it can't be mistaken for the key. Upstream:
 * pkg/serviceaccount/jwt.go.
 */
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
