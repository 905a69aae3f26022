// The form for a token.

import {post} from "./api.js";

document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const trouble = document.getElementById("login-error");
  const field = document.getElementById("token");
  try {
    await post("login", {token: field.value});
    location.assign("/");
  } catch (error) {
    trouble.textContent = error.message;
    field.focus();
  }
});
