// Asks the coordinator, and again when all is done.

+!round
    <-  .send(coordinator, achieve, serve).

+!done : formicary.jason.next
    <-  !round.
+!done.
