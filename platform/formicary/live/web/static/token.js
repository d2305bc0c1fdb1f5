// The token that grants access. It is in the address after the `#`, which browsers do not send, and then in this tab's
// storage for this port: a cookie would go to every server on this machine.

const KEY = "formicary-token";
const inAddress = () => new URLSearchParams(location.hash.slice(1)).get("token");

// Return the token, and remove it from the address bar and the history.
export const readToken = () => {
  const given = inAddress();
  if (given) sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
  return sessionStorage.getItem(KEY);
};

// Browsers do not reload a page if only the part after the # changed.
addEventListener("hashchange", () => { if (inAddress()) location.reload(); });
