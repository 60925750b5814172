import {
  access,
  type KubeconfigContext,
  kubeconfigContext,
  type User,
  user,
  viewedAs,
} from "../base/session.ts";
import { ApiFailure, getJson } from "./api.ts";
import { forgetPermissions } from "./permissions.ts";

/** The name of a user without credentials. */
const anonymous = "system:anonymous";

/** Finds out how the page reaches the API: only `k8ts console` knows of a context. */
export async function findAccess(): Promise<void> {
  try {
    kubeconfigContext.value = await getJson<KubeconfigContext>("/console/context");
    access.value = "proxy";
  } catch (error) {
    const { status, message } = error as ApiFailure;
    access.value = status === 401 && message.startsWith("k8ts console") ? "proxy" : "server";
  }
}

/** Asks the server who the user is; false if it knows none. */
export async function logIn(): Promise<boolean> {
  try {
    const found = await readUser();
    if (found.name === anonymous) return false;
    become(found);
    return true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return false;
  }
}

async function readUser(): Promise<User> {
  const { status } = await getJson<{ readonly status?: { readonly userInfo?: RawUser } }>(
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    {
      method: "POST",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    },
  );
  return { name: status?.userInfo?.username ?? "", groups: status?.userInfo?.groups ?? [] };
}

/** From now on the page is that of a user: what others were permitted is forgotten before anything is drawn. */
function become(found: User): void {
  forgetPermissions();
  user.value = found;
}

/** Shows the cluster with the rights of another user, or with the own ones again. Throws if that is refused. */
export async function viewAs(other: { readonly name: string; readonly group: string } | undefined) {
  const before = viewedAs.peek();
  viewedAs.value = other;
  try {
    become(await readUser());
  } catch (error) {
    viewedAs.value = before;
    throw error;
  }
}

interface RawUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}
