"""Functions that get each response, and can return another one."""

HOOKS = ['response']


def default_hooks():
    return {event: [] for event in HOOKS}


def dispatch_hook(key, hooks, hook_data, **kwargs):
    found = (hooks or {}).get(key) or []
    for hook in [found] if callable(found) else found:
        changed = hook(hook_data, **kwargs)
        if changed is not None:
            hook_data = changed
    return hook_data
