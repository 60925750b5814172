import { DurationError, parseNanos } from "#/std/go/nanoseconds.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { isDNS1123Label, isDNS1123Subdomain, isLongerThan } from "../meta/names.ts";
import { isEmail } from "./email-format.ts";
import { isRequestUri } from "./uri-format.ts";

/** Whether a text has a format. */
type Format = (text: string) => boolean;

/**
 * The supported string formats of custom resources, by their names without dashes. Others are
 * ignored.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go,
 * vendor/k8s.io/kube-openapi/pkg/validation/strfmt.
 */
const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["bsonobjectid", matching(/^[0-9a-f]{24}$/i)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && parseIp(text, { sloppy: true }) !== undefined],
  ["ipv6", (text) => text.includes(":") && parseIp(text) !== undefined],
  ["cidr", (text) => parseCidr(text, { sloppy: true }) !== undefined],
  ["mac", isMac],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", isRgbColor],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => isDNS1123Label(text).length === 0],
  ["k8slongname", (text) => isDNS1123Subdomain(text).length === 0],
]);

/** The check of a format; undefined if it is unknown. */
export function findFormat(name: string): Format | undefined {
  return formats.get(normalize(name));
}

/** The format if it is known and matches the type, else "". */
export function supportedFormat(types: readonly string[], format: string): string {
  const [type = ""] = types.length === 1 ? types : [];
  switch (type) {
    case "":
    case "string":
      return formats.has(normalize(format)) ? format : "";
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

const normalize = (name: string): string => name.replaceAll("-", "");

function matching(pattern: RegExp): Format {
  return (text) => pattern.test(text);
}

const hostLabel = /^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const hostAlone = /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;

/**
 * A single label, or several with a top-level domain of letters; limits are 63 bytes per label, 255
 * in total.
 */
function isHostname(text: string): boolean {
  if (isLongerThan(text, 255)) return false;
  const labels = text.split(".");
  if (labels.some((label) => isLongerThan(label, 63))) return false;
  if (labels.length === 1) return hostAlone.test(text);
  const top = labels.pop() ?? "";
  return /^[a-zA-Z\p{L}]{2,63}$/u.test(top) && labels.every((label) => hostLabel.test(label));
}

function isMac(text: string): boolean {
  const pairs = text.includes(".")
    ? /^([0-9a-f]{4}\.)*[0-9a-f]{4}$/i.test(text) && text.replaceAll(".", "")
    : /^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2)*[0-9a-f]{2}$/i.test(text)
      ? text.replaceAll(/[:-]/g, "")
      : /^[0-9a-f]+$/i.test(text) && text;
  return pairs !== false && [12, 16, 40].includes(pairs.length);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^(\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, index) => {
    return total + (index + 1) * (digit === "X" ? 10 : Number(digit));
  }, 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, index) => {
    return total + (index % 2 === 0 ? 1 : 3) * Number(digit);
  }, 0);
  return sum % 10 === 0;
}

const cardNumber =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Limit of a card number's text (characters), including separators. */
const maxCardText = 1024;

function isCreditCard(text: string): boolean {
  if (text.length > maxCardText) return false;
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!cardNumber.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value >= 10 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return (
    match?.slice(1).every((part) => /^(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])$/.test(part)) ?? false
  );
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** An existing day, as 2006-01-02. */
function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(.[0-9]+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  const [, hour = "99", minute = "99", second = "99"] = match ?? [];
  return hour <= "23" && minute <= "59" && second <= "59";
}

const timeUnit =
  /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** Limit of a duration's text (characters). */
const maxDurationText = 1024;

/** A Go duration, or numbers with unit words: "3 days 2 hours". */
function isDuration(text: string): boolean {
  if (text.length > maxDurationText) return false;
  try {
    parseNanos(text);
    return true;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  const parts = Array.from(text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g));
  if (parts.some(([, digits = ""]) => BigInt(digits) >= 2n ** 63n)) return false;
  return parts.some(([, , unit = ""]) => timeUnit.test(unit));
}
