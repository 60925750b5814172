import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { parseIp } from "#/std/ip.ts";

/** A certificate that nobody else vouches for, and its key, as PEM. */
export interface SelfSigned {
  readonly certificate: string;
  readonly key: string;
}

export interface SelfSignedOptions {
  readonly commonName: string;
  /** Names and addresses that the certificate is for. */
  readonly names: readonly string[];
  readonly now: number;
}

const hourMs = 3600 * 1000;
const yearMs = 365 * 24 * hourMs;
const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

/** Makes a certificate for a server, good for a year. */
export function makeSelfSigned({ commonName, names, now }: SelfSignedOptions): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(
    element(0x31, sequence(oid("2.5.4.3"), element(0x0c, Buffer.from(commonName)))),
  );
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const body = sequence(
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, serial),
    ecdsaWithSha256,
    subject,
    sequence(time(now - hourMs), time(now + yearMs)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, extensions(names)),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, ecdsaWithSha256, element(0x03, Buffer.of(0), signature));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(names: readonly string[]): Buffer {
  const alternatives = names.map((name) =>
    isIP(name) ? element(0x87, addressBytes(name)) : element(0x82, Buffer.from(name)),
  );
  const isTrue = element(0x01, Buffer.of(0xff));
  return sequence(
    // Digital signature, key encipherment and signing of certificates: it is its own authority.
    extension("2.5.29.15", element(0x03, Buffer.of(2, 0xa4)), isTrue),
    extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"))),
    extension("2.5.29.19", sequence(isTrue), isTrue),
    extension("2.5.29.17", sequence(...alternatives)),
  );
}

const extension = (id: string, value: Buffer, critical: Buffer = Buffer.alloc(0)): Buffer =>
  sequence(oid(id), critical, element(0x04, value));

function addressBytes(name: string): Buffer {
  const ip = parseIp(name);
  if (!ip) throw new Error(`${name} is no address`);
  const length = ip.family === 4 ? 4 : 16;
  return Buffer.from(ip.value.toString(16).padStart(length * 2, "0"), "hex");
}

const time = (ms: number): Buffer =>
  element(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")}`));

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts);
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return element(0x06, Buffer.from(bytes));
}
