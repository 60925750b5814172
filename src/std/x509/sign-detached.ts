/** Upstream: pkg/controller/bootstrap/bootstrapsigner.go, staging/src/k8s.io/cluster-bootstrap/token/jws/jws.go. */
import { createHmac } from "node:crypto";

/** A detached JSON Web Signature. */
export function signDetached(content: string, id: string, secret: string): string {
  const encode = (text: string): string => Buffer.from(text).toString("base64url");
  const header = encode(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = createHmac("sha256", secret).update(`${header}.${encode(content)}`);
  return `${header}..${signature.digest("base64url")}`;
}
