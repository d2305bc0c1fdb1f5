// The token, which gives the right to see the platform. It is in the address after the `#`, which is sent to no server, and
// then in the storage of this tab for this port alone: a cookie would go to every server on this machine.

const KEY = "formicary-token";
const inAddress = () => new URLSearchParams(location.hash.slice(1)).get("token");

// Return the token, and remove it from the address bar and the history.
export const readToken = () => {
  const given = inAddress();
  if (given) sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
  return sessionStorage.getItem(KEY);
};

// Browsers do not load a page again where only what is after the # has changed.
addEventListener("hashchange", () => { if (inAddress()) location.reload(); });
