/** A response that is not HTTP, with Go's message. */
export class MalformedResponseError extends Error {}
