import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bitString, element, oid, sequence } from "./der-writer.ts";

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const rsaWithSha256 = sequence(oid("1.2.840.113549.1.1.11"), element(0x05));
const ed25519 = sequence(oid("1.3.101.112"));

/** The signature algorithm of a key, as encoded in certificates. */
export function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType === "ec") return ecdsaWithSha256;
  if (asymmetricKeyType === "rsa") return rsaWithSha256;
  if (asymmetricKeyType === "ed25519") return ed25519;
  throw new Error(`a key of type ${asymmetricKeyType} can't sign certificates`);
}

/** A body with its algorithm and signature, as in certificates and requests. */
export function signed(body: Buffer, key: KeyObject): Buffer {
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return sequence(body, signatureAlgorithm(key), bitString(sign(digest, body, key)));
}

export type KeyKind = "ec" | "rsa";

/**
 * A new private key: on the curve P-256, as safe as RSA-3072 and fast to generate; or RSA-2048,
 * which every program supports.
 */
export function generateKey(kind: KeyKind = "ec"): KeyObject {
  return kind === "ec"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    : generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

const traditionalForms: Readonly<Record<string, "sec1" | "pkcs1">> = { ec: "sec1", rsa: "pkcs1" };

/**
 * A private key as PEM, in the algorithm-specific form, as kubeadm writes it: some clients support
 * no other.
 */
export const keyPem = (key: KeyObject): string =>
  key
    .export({ type: traditionalForms[key.asymmetricKeyType ?? ""] ?? "pkcs8", format: "pem" })
    .toString();

/** Reads a private key from PEM. */
export const readKey = (text: string | Buffer): KeyObject => createPrivateKey(text);
