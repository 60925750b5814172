import { readPemRequest } from "#/std/x509/certificate-request.ts";
import type { SubjectName } from "#/std/x509/subject.ts";

/** Whom a certificate signing request, as base64 of PEM, is for; throws what `refuse` makes of the reason if it is none. */
export function readRequestSubject(
  request: string | undefined,
  refuse: (reason: string) => Error,
): readonly SubjectName[] {
  try {
    return readPemRequest(Buffer.from(request ?? "", "base64")).subject;
  } catch (error) {
    throw refuse((error as Error).message);
  }
}
