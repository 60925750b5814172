import { type DerElement, readDer, readOid, readString } from "#/std/x509/der.ts";

/** Whom a certificate signing request is for. */
export interface RequestSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const commonNameOid = "2.5.4.3";
const organizationOid = "2.5.4.10";
const sequence = 0x30;
const blockPattern = /-----BEGIN ([A-Z ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/;

/** Reads the subject of a PKCS#10 request, given as base64 of PEM; throws what `refuse` makes of the reason. */
export function readRequestSubject(
  request: string | undefined,
  refuse: (reason: string) => Error,
): RequestSubject {
  const pem = Buffer.from(request ?? "", "base64").toString("latin1");
  const [, type, body = ""] = blockPattern.exec(pem) ?? [];
  if (type !== "CERTIFICATE REQUEST") throw refuse("PEM block type must be CERTIFICATE REQUEST");
  try {
    return subjectOf(Buffer.from(body, "base64"));
  } catch (error) {
    throw refuse(`asn1: structure error: ${(error as Error).message}`);
  }
}

function subjectOf(der: Uint8Array): RequestSubject {
  const [, name] = members(members(only(readDer(der)))[0]);
  const organizations: string[] = [];
  let commonName = "";
  for (const set of members(name)) {
    for (const attribute of readDer(set.content)) {
      const [oid, value] = readDer(attribute.content);
      const text = value ? (readString(value) ?? "") : "";
      const id = oid ? readOid(oid.content) : "";
      if (id === commonNameOid) commonName = text;
      if (id === organizationOid) organizations.push(text);
    }
  }
  return { commonName, organizations };
}

function only([element, ...rest]: readonly DerElement[]): DerElement | undefined {
  if (rest.length > 0) throw new Error("trailing data");
  return element;
}

function members(element: DerElement | undefined): DerElement[] {
  if (element?.tag !== sequence) throw new Error("tags don't match");
  return readDer(element.content);
}
