import { readPemRequest } from "#/std/x509/certificate-request.ts";
import type { SubjectName } from "#/std/x509/subject.ts";

/**
 * The subject of a certificate signing request (base64 of PEM); throws the error of `refuse` with the reason if it is
 * invalid.
 */
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
