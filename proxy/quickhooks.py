"""mitmproxy's master with a shorter way to our addons.

The stock one asks every addon at every hook, and once more after each whether it wants to know that
the flow has changed: a tenth of what a request costs. Here an addon is asked for the hooks that it
has, and nobody is told of changes, which no addon of ours listens to. What a failing hook leads to
stays as it is: mitmproxy logs it, `proxy.server.Alarm` hears that, and the next addon is asked.
"""

from mitmproxy.addonmanager import AddonManager, safecall
from mitmproxy.exceptions import AddonHalt
from mitmproxy.hooks import Hook
from mitmproxy.master import Master
from mitmproxy.options import Options


class QuickAddons(AddonManager):
    """Addons that are asked for their own hooks alone; none of them holds others."""

    async def handle_lifecycle(self, event: Hook) -> None:
        """Call a hook of every addon that has it, in order."""
        for addon in self.chain:
            if hasattr(addon, event.name):
                try:
                    with safecall():
                        await self.invoke_addon(addon, event)
                except AddonHalt:
                    return


class QuickMaster(Master):
    """A master without addons; must be made on a running loop."""

    def __init__(self, options: Options) -> None:
        """Keep the options."""
        super().__init__(options)
        self.addons = QuickAddons(self)  # type: ignore[no-untyped-call] # mitmproxy leaves it so
