// Prints what it is sent where nobody looks.

+!print(Data)[source(Asker)]
    <-  formicary.jason.print(Data);
        .send(Asker, achieve, printed).
