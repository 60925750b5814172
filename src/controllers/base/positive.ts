/** A number of a status, left out when zero, as the server does. */
export const positive = (name: string, value: number): object =>
  value === 0 ? {} : { [name]: value };
