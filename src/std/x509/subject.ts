import { type DerElement, readDer, readOid, readString } from "./der.ts";

/** An attribute of a subject. */
export interface SubjectName {
  readonly oid: string;
  /** Undefined if it is no string. */
  readonly value: string | undefined;
}

const commonName = "2.5.4.3";
const organization = "2.5.4.10";

/** The attributes of a subject, in order. */
export function readNames(subject: DerElement): SubjectName[] {
  return readDer(subject.content)
    .flatMap((set) => readDer(set.content))
    .map((pair) => {
      const [type, value] = readDer(pair.content);
      return { oid: readOid(type?.content ?? new Uint8Array()), value: value && readString(value) };
    });
}

/** The common name of a subject: the last one, as in Go; "" if there is none. */
export function commonNameOf(subject: readonly SubjectName[]): string {
  return subject.findLast(({ oid }) => oid === commonName)?.value ?? "";
}

/** The organizations of a subject, in order. */
export function organizationsOf(subject: readonly SubjectName[]): string[] {
  return subject.flatMap(({ oid, value }) =>
    oid === organization && value !== undefined ? [value] : [],
  );
}
